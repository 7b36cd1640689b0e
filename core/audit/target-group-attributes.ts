import type { CloudTerms } from './cloud-terms.ts';
import type { AuditedObject, Fix } from './rule.ts';

/**
 * How to set an attribute of the target groups of a Service. The annotation holds all attributes in one text, so no command could add one without
 * knowing the others.
 */
export function attributeFix(
  { namespace = '', name }: AuditedObject,
  { annotations }: CloudTerms,
  attributes: string,
  what = '',
): Fix {
  if (annotations === undefined)
    return { text: `${what} No annotation sets it: change the load balancer itself.`.trim() };
  return {
    text: `${what} Add this to the attributes that the annotation of the Service has already; the controller applies it without interrupting connections.`,
    yaml: [
      'apiVersion: v1',
      'kind: Service',
      `metadata: # kubectl -n ${namespace} edit service ${name}`,
      '  annotations:',
      `    ${annotations.attributes}: ${attributes}`,
    ].join('\n'),
  };
}
