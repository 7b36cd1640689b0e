import * as autoscaling from '@aws-sdk/client-auto-scaling';
import * as ec2 from '@aws-sdk/client-ec2';
import * as eks from '@aws-sdk/client-eks';
import * as elbv2 from '@aws-sdk/client-elastic-load-balancing-v2';
import { NormalizedSchema } from '@smithy/core/schema';

/** The services that are implemented with their full schemas. */
const services = ['autoscaling', 'ec2', 'eks', 'elbv2'] as const;

/** One of the services that are implemented with their full schemas. */
export type ServiceName = (typeof services)[number];

/** What the codec must know about one operation, read from the operation schema that the SDK package exports. */
export interface Operation {
  readonly service: ServiceName;
  readonly name: string;
  readonly input: NormalizedSchema;
  readonly output: NormalizedSchema;
  /** HTTP method and path template with `{labels}`; restJson1 only. */
  readonly http?: { readonly method: string; readonly path: string };
}

type Ref = Parameters<typeof NormalizedSchema.of>[0];

/** `StaticOperationSchema` of @smithy/types: id, namespace, name, traits, input, output. */
const OPERATION_SCHEMA_ID = 9;

function readOperation(service: ServiceName, exported: unknown): Operation | undefined {
  if (!Array.isArray(exported) || exported[0] !== OPERATION_SCHEMA_ID) return undefined;
  const [, , name, traits, input, output] = exported as [9, string, string, unknown, Ref, Ref];
  const http = typeof traits === 'object' && traits !== null && 'http' in traits ? traits.http : undefined;
  return {
    service,
    name,
    input: schemaOf(input),
    output: schemaOf(output),
    ...(Array.isArray(http) && { http: { method: String(http[0]), path: String(http[1]).split('?')[0] ?? '' } }),
  };
}

/** The SDK wraps schemas of shapes that are defined later in a function. */
function schemaOf(ref: Ref): NormalizedSchema {
  return NormalizedSchema.of(typeof ref === 'function' ? ((ref as () => Ref)() as Ref) : ref);
}

function operationsOf(service: ServiceName, sdk: object): ReadonlyMap<string, Operation> {
  const found = Object.values(sdk)
    .map((exported) => readOperation(service, exported))
    .filter((operation) => operation !== undefined);
  return new Map(found.map((operation) => [operation.name, operation]));
}

/** Every operation of every service, by service and name. */
export const operations: Readonly<Record<ServiceName, ReadonlyMap<string, Operation>>> = {
  autoscaling: operationsOf('autoscaling', autoscaling),
  ec2: operationsOf('ec2', ec2),
  eks: operationsOf('eks', eks),
  elbv2: operationsOf('elbv2', elbv2),
};
