/** The command lines that register search attributes in a namespace. */
import { isTemporalCloud } from './temporal-cloud.ts';

/** A search attribute, with Temporal's name of its type. */
interface SearchAttribute {
  readonly name: string;
  readonly type: 'KEYWORD' | 'BOOL';
}

/** A namespace of a Temporal server. */
interface TemporalPlace {
  readonly address: string;
  readonly namespace: string;
}

/**
 * The command that registers search attributes. That of `temporal` takes as many types as names, in the same order. Temporal Cloud does not accept it:
 * there a namespace is changed with `tcld` (docs.temporal.io/cloud/tcld/namespace#search-attributes), or in its web UI.
 */
export function registrationCommand(
  { address, namespace }: TemporalPlace,
  missing: readonly SearchAttribute[],
): string {
  if (isTemporalCloud(address)) {
    const flags = missing.map((one) => `--search-attribute "${typedAttribute(one)}"`);
    return `tcld namespace search-attributes add --namespace ${namespace} ${flags.join(' ')}`;
  }
  const flags = missing.map(({ name, type }) => `--name ${name} --type ${commandLineType(type)}`);
  return `temporal operator search-attribute create --namespace ${namespace} ${flags.join(' ')}`;
}

/** The command that registers a search attribute anew with our type. Temporal Cloud can rename one but not remove it. */
export function replacementCommand(place: TemporalPlace, attribute: SearchAttribute): string {
  const { name } = attribute;
  const namespace = `--namespace ${place.namespace}`;
  const before = isTemporalCloud(place.address)
    ? `tcld namespace search-attributes rename ${namespace} --existing-name ${name} --new-name ${name}Before`
    : `temporal operator search-attribute remove ${namespace} --name ${name} --yes`;
  return `${before} && ${registrationCommand(place, [attribute])}`;
}

/** A search attribute with its type, as the command lines spell it. */
export function typedAttribute({ name, type }: SearchAttribute): string {
  return `${name}=${commandLineType(type)}`;
}

/** The type of a search attribute, as the command lines spell it. */
function commandLineType(type: SearchAttribute['type']): string {
  return type === 'BOOL' ? 'Bool' : 'Keyword';
}
