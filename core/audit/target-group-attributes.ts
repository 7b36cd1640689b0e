import type { TargetGroupFacts } from '../model/target-group.ts';
import type { CloudTerms, GroupAttribute } from './cloud-terms.ts';
import type { AuditedObject, Fix } from './rule.ts';

/** Attributes with the values that they should have. */
export type WantedAttributes = Readonly<Partial<Record<GroupAttribute, string | number | boolean>>>;

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

function atGroups(groups: readonly TargetGroupFacts[], terms: CloudTerms, wanted: WantedAttributes): Fix {
  const { setAttributes } = terms;
  const attributes = Object.fromEntries(namesOf(terms, wanted));
  if (setAttributes === undefined) return byHand;
  const isRefused = groups.some(({ followsService }) => followsService === 'with-new-group');
  const warning =
    'Not in an annotation of the Service: its controller ignores it there, or refuses the Service and registers no more nodes.';
  return {
    text: [
      'Set it at the target group itself, without interrupting connections. It stays, unless an annotation sets the same; a group that is made anew begins with the defaults.',
      ...(isRefused ? [warning] : []),
    ].join(' '),
    commands: groups.map(({ id }) => setAttributes(id, attributes)),
  };
}

const byHand: Fix = { text: 'Set it at the load balancer itself: nothing at the Service does.' };

/** The attributes by the names that the cloud has for them. */
function namesOf({ attributes }: CloudTerms, wanted: WantedAttributes): readonly (readonly [string, string])[] {
  if (attributes === undefined) return [];
  return Object.entries(wanted).map(([key, value]) => [attributes[key as GroupAttribute], String(value)]);
}
