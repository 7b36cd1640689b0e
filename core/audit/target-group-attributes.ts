import type { CloudTerms, GroupAttribute } from './cloud-terms.ts';
import type { AuditedObject, Fix } from './rule.ts';

/**
 * How to set attributes of the target groups of a Service. The annotation holds all attributes in one text, so no command could add one without
 * knowing the others.
 */
export function attributeFix(
  { namespace = '', name }: AuditedObject,
  { annotations, attributes }: CloudTerms,
  wanted: Readonly<Partial<Record<GroupAttribute, string | number | boolean>>>,
  what = '',
): Fix {
  if (annotations === undefined || attributes === undefined)
    return { text: `${what} No annotation sets it: change the load balancer itself.`.trim() };
  const pairs = Object.entries(wanted).map(([key, value]) => `${attributes[key as GroupAttribute]}=${value}`);
  return {
    text: `${what} Add this to the attributes that the annotation of the Service has already; the controller applies it without interrupting connections.`,
    yaml: [
      'apiVersion: v1',
      'kind: Service',
      `metadata: # kubectl -n ${namespace} edit service ${name}`,
      '  annotations:',
      `    ${annotations.attributes}: ${pairs.join(',')}`,
    ].join('\n'),
  };
}
