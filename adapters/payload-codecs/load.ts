import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { NodeferryError } from '../../core/model/problem.ts';

/** A value on its way to or from Temporal, as its SDKs have it (temporal.api.common.v1.Payload). */
interface Payload {
  readonly metadata?: Record<string, Uint8Array> | null;
  readonly data?: Uint8Array | null;
}

/** What encodes all payloads on their way to Temporal, for example encrypts them, and decodes them when they are read. */
export interface PayloadCodec {
  encode(payloads: Payload[], context?: unknown): Promise<Payload[]>;
  decode(payloads: Payload[], context?: unknown): Promise<Payload[]>;
}

/** The environment variable that names the module with the codecs, for commands and for workers. */
export const payloadCodecVariable = 'NODEFERRY_PAYLOAD_CODEC';

const allowed =
  'Set it to the path of a JavaScript module that exports payloadCodecs, an array of objects with the functions encode and decode (docs/encryption.md).';

/**
 * The codecs through which every payload goes on its way to and from Temporal, from the module at this path; none without a path.
 * @throws NodeferryError InvalidArgument when the module can't be loaded, or exports something else
 */
export async function loadPayloadCodecs(path: string | undefined): Promise<PayloadCodec[]> {
  if (path === undefined || path === '') return [];
  const codecs = payloadCodecsOf(await load(path));
  if (codecs === undefined) throw refusal(`${path}, which exports no payloadCodecs`);
  return codecs.map((codec) => naming(codec, path));
}

async function load(path: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(resolve(path)).href);
  } catch (cause) {
    throw refusal(`${path}, which can't be loaded: ${firstLineOf(cause)}`, cause);
  }
}

function payloadCodecsOf(module: unknown): readonly PayloadCodec[] | undefined {
  if (typeof module !== 'object' || module === null || !('payloadCodecs' in module)) return undefined;
  const { payloadCodecs: codecs } = module;
  return Array.isArray(codecs) && codecs.length > 0 && codecs.every(isCodec) ? codecs : undefined;
}

function isCodec(value: unknown): value is PayloadCodec {
  return (
    typeof value === 'object' &&
    value !== null &&
    'encode' in value &&
    typeof value.encode === 'function' &&
    'decode' in value &&
    typeof value.decode === 'function'
  );
}

/** The same codec, whose errors say where they come from: a key that is missing, or another one than the payload was written with. */
function naming(codec: PayloadCodec, path: string): PayloadCodec {
  const calling = async (verb: string, call: () => Promise<Payload[]>) => {
    try {
      return await call();
    } catch (cause) {
      throw new NodeferryError(
        {
          code: 'InvalidArgument',
          message: `The payload codec of ${path} can't ${verb} a payload: ${firstLineOf(cause)}`,
          hint: 'Commands and workers need the same codec with the same keys. See docs/encryption.md.',
        },
        { cause },
      );
    }
  };
  return {
    encode: async (payloads, context) => await calling('encode', async () => await codec.encode(payloads, context)),
    decode: async (payloads, context) => await calling('decode', async () => await codec.decode(payloads, context)),
  };
}

function refusal(found: string, cause?: unknown): NodeferryError {
  const problem = { code: 'InvalidArgument', message: `${payloadCodecVariable} is ${found}.`, hint: allowed } as const;
  return new NodeferryError(problem, { cause });
}

function firstLineOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return (text.split('\n', 1)[0] ?? '').replace(/\.$/, '');
}
