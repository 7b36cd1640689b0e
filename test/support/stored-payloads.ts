/** What Temporal stores of a workflow, as a server's answer has it. */
interface Stored {
  /** The encoding of every payload, with its data as text. */
  readonly payloads: readonly { readonly encoding: string; readonly data: string }[];
  /** The messages and stacks of failures that stand outside of payloads. */
  readonly failures: readonly string[];
}

/** Never encoded: the server itself reads them (docs.temporal.io, "Search Attributes"), or clients before they decode. */
const plainFields: ReadonlySet<string> = new Set(['searchAttributes', 'header', 'headers']);

/** Collects the payloads and failures of a server's answer, wherever in it they are. */
export function storedIn(answer: unknown): Stored {
  const payloads: { encoding: string; data: string }[] = [];
  const failures: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
    if ('data' in value && value.data instanceof Uint8Array && 'metadata' in value) {
      const { encoding } = value.metadata as Readonly<Record<string, Uint8Array | undefined>>;
      payloads.push({ encoding: textOf(encoding), data: textOf(value.data) });
      return;
    }
    if ('message' in value && 'stackTrace' in value)
      failures.push(`${String(value.message)}${String(value.stackTrace)}`);
    for (const [name, field] of Object.entries(value)) if (!plainFields.has(name)) visit(field);
  };
  visit(answer);
  return { payloads, failures };
}

function textOf(bytes: Uint8Array = new Uint8Array()): string {
  return Buffer.from(bytes).toString('utf8');
}
