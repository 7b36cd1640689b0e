import type { NormalizedSchema } from '@smithy/core/schema';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text made safe for an XML element. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

const element = (tag: string, body: string) => `<${tag}>${body}</${tag}>`;

/** The members of a structure as XML elements, without an element around them. */
export function writeXmlMembers(schema: NormalizedSchema, value: object): string {
  const members = value as Readonly<Record<string, unknown>>;
  let xml = '';
  for (const [name, member] of schema.structIterator()) {
    xml += writeXml(member, members[name], String(member.getMemberTraits().xmlName ?? name));
  }
  return xml;
}

/** One value as an XML element; nothing for an absent value. */
function writeXml(schema: NormalizedSchema, value: unknown, tag: string): string {
  if (value === undefined || value === null) return '';
  if (schema.isStructSchema()) return element(tag, writeXmlMembers(schema, value));
  if (schema.isListSchema()) return writeList(schema, value as readonly unknown[], tag);
  return element(tag, escapeXml(scalarText(schema, value)));
}

function writeList(schema: NormalizedSchema, values: readonly unknown[], tag: string): string {
  const item = schema.getValueSchema();
  if (schema.getMergedTraits().xmlFlattened) return values.map((value) => writeXml(item, value, tag)).join('');
  const itemTag = String(item.getMemberTraits().xmlName ?? 'member');
  return element(tag, values.map((value) => writeXml(item, value, itemTag)).join(''));
}

function scalarText(schema: NormalizedSchema, value: unknown): string {
  if (schema.isTimestampSchema()) return (value as Date).toISOString();
  if (schema.isBlobSchema()) return Buffer.from(value as Uint8Array).toString('base64');
  return String(value);
}
