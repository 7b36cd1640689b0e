import { registrationCommand, replacementCommand } from '../../core/connection/register-attributes.ts';
import { listNames } from '../../core/text/format.ts';
import { type SearchAttribute, searchAttributes } from '../../workflows/messages.ts';
import type { TemporalConnection } from '../connect.ts';
import type { Check } from './check.ts';

/** Temporal's numbers for the types, temporal.api.enums.v1.IndexedValueType. */
const typeNames: readonly string[] = [
  'UNSPECIFIED',
  'TEXT',
  'KEYWORD',
  'INT',
  'DOUBLE',
  'BOOL',
  'DATETIME',
  'KEYWORD_LIST',
];

const id = 'temporal.search-attributes';

/** Checks that the namespace knows the search attributes of nodeferry, with their types. A workflow that sets an unknown one makes no progress. */
export async function checkSearchAttributes(connection: TemporalConnection): Promise<readonly Check[]> {
  const { client, namespace } = connection;
  const { operatorService } = client.connection;
  const { customAttributes } = await connection.within(() => operatorService.listSearchAttributes({ namespace }));
  const wanted = Object.values(searchAttributes);
  const missing = wanted.filter(({ name }) => customAttributes[name] === undefined);
  const mistyped = wanted.flatMap((attribute): readonly MistypedAttribute[] => {
    const type = customAttributes[attribute.name];
    const found = type === undefined ? attribute.type : (typeNames[type] ?? String(type));
    return found === attribute.type ? [] : [{ attribute, found }];
  });
  if (missing.length === 0 && mistyped.length === 0) {
    const names = wanted.map(({ name }) => name);
    return [{ id, state: 'ok', found: `${namespace} knows ${listNames(names, names.length)}` }];
  }
  return [
    ...(missing.length === 0 ? [] : [reportMissing(connection, missing)]),
    ...mistyped.map((one) => reportMistyped(connection, one)),
  ];
}

/** Where the attributes are registered. */
type Place = Pick<TemporalConnection, 'address' | 'namespace'>;

/** A search attribute that is registered with another type than ours. */
interface MistypedAttribute {
  readonly attribute: SearchAttribute;
  readonly found: string;
}

function reportMissing(place: Place, missing: readonly SearchAttribute[]): Check {
  const names = missing.map(({ name }) => name);
  return {
    id,
    state: 'failed',
    found: `${place.namespace} does not know ${listNames(names, names.length)}`,
    fix: `Register what is missing:\n${registrationCommand(place, missing)}`,
  };
}

/** The type of an attribute can't be changed. */
function reportMistyped(place: Place, { attribute, found }: MistypedAttribute): Check {
  const { name, type } = attribute;
  return {
    id,
    state: 'failed',
    found: `${name} is registered as ${found} instead of ${type}`,
    fix: ['Register it anew, once nobody else needs it:', replacementCommand(place, attribute)].join('\n'),
  };
}
