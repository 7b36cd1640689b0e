import type { ServiceFacts } from '../model/service.ts';
import type { TargetGroupFacts } from '../model/target-group.ts';
import type { CloudTerms, GroupAttribute, WantedAttributes } from './cloud-terms.ts';
import type { Fix } from './fix.ts';
import type { AuditedObject } from './rule.ts';

/**
 * How to set attributes of these target groups of a Service: where their controller takes them from an annotation, by that, and otherwise at the group
 * itself. `what`: the purpose, in a sentence.
 */
export function attributeFix(
  service: AuditedObject,
  groups: readonly TargetGroupFacts[],
  terms: CloudTerms,
  wanted: WantedAttributes,
  what = '',
): Fix {
  const annotated = groups.filter(({ followsService }) => followsService === 'in-place');
  const others = groups.filter((group) => !annotated.includes(group));
  const parts = [
    ...(annotated.length === 0 ? [] : [inAnnotation(service, terms, wanted)]),
    ...(others.length === 0 ? [] : [atGroups(others, terms, wanted)]),
  ];
  const text = [what, ...parts.map((part) => part.text)].join(' ').trim();
  return parts.reduce((all, part) => ({ ...part, ...all }), { text });
}

/** The annotation holds all attributes in one text, so no command could add one without knowing the others. */
function inAnnotation({ namespace = '', name }: AuditedObject, terms: CloudTerms, wanted: WantedAttributes): Fix {
  const { annotations } = terms;
  const pairs = namesOf(terms, wanted).map(([key, value]) => `${key}=${value}`);
  if (annotations === undefined || pairs.length === 0) return byHand;
  return {
    text: 'Add this to the attributes that the annotation of the Service has already; the controller applies it without interrupting connections.',
    yaml: [
      'apiVersion: v1',
      'kind: Service',
      `metadata: # kubectl -n ${namespace} edit service ${name}`,
      '  annotations:',
      '    # after a comma, if it has others already',
      `    ${annotations.attributes}: ${pairs.join(',')}`,
    ].join('\n'),
  };
}

/** Commands and manifests of all groups that have any; groups may have the same manifest, such as that of their Service. */
function atGroups(groups: readonly TargetGroupFacts[], terms: CloudTerms, wanted: WantedAttributes): Fix {
  const fixes = groups.flatMap((group) => terms.setAttributes(group, wanted) ?? []);
  if (fixes.length === 0) return byHand;
  const commands = fixes.flatMap((fix) => fix.commands ?? []);
  const manifests = [...new Set(fixes.flatMap(({ yaml }) => yaml ?? []))];
  return {
    text: [...new Set(fixes.map(({ text }) => text))].join(' '),
    ...(commands.length === 0 ? {} : { commands }),
    ...(manifests.length === 0 ? {} : { yaml: manifests.join('\n---\n') }),
  };
}

const byHand: Fix = { text: 'Nothing sets that at this load balancer.' };

/** Whether these attributes of the target group can be set at all. */
export function canSet(group: TargetGroupFacts, terms: CloudTerms, wanted: WantedAttributes): boolean {
  if (group.followsService === 'in-place') return terms.annotations !== undefined;
  return terms.setAttributes(group, wanted) !== undefined;
}

/** No drain time helps: the load balancer drains nothing for a Service with a UDP port. */
export function isUndrained({ usesUdp }: Pick<ServiceFacts, 'usesUdp'>, { drainsNoDatagrams }: CloudTerms): boolean {
  return usesUdp === true && drainsNoDatagrams === true;
}

/** The attributes by the names that the cloud has for them. */
function namesOf({ attributes }: CloudTerms, wanted: WantedAttributes): readonly (readonly [string, string])[] {
  if (attributes === undefined) return [];
  return Object.entries(wanted).map(([key, value]) => [attributes[key as GroupAttribute], String(value)]);
}
