/** Whether labels match. */
type LabelMatch = (labels: Readonly<Record<string, string>>) => boolean;

const key = '[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?';
const value = '[A-Za-z0-9._-]*';

/** The forms of a requirement, each with what it asks of the value of a label. */
const forms: readonly {
  readonly form: RegExp;
  readonly asks: (has: string | undefined, operand: string) => boolean;
}[] = [
  { form: new RegExp(`^(${key})\\s*==?\\s*(${value})$`), asks: (has, is) => has === is },
  { form: new RegExp(`^(${key})\\s*!=\\s*(${value})$`), asks: (has, not) => has !== not },
  { form: new RegExp(`^(${key})$`), asks: (has) => has !== undefined },
  { form: new RegExp(`^!\\s*(${key})$`), asks: (has) => has === undefined },
  { form: new RegExp(`^(${key})\\s+in\\s+\\(([^()]*)\\)$`), asks: (has, list) => isOneOf(has, list) },
  { form: new RegExp(`^(${key})\\s+notin\\s+\\(([^()]*)\\)$`), asks: (has, list) => !isOneOf(has, list) },
];

/** Reads a label selector as kubectl does (Kubernetes docs, "Labels and Selectors"). Undefined when it can't be read. */
export function parseSelector(text: string): LabelMatch | undefined {
  const terms = text.split(/,(?![^(]*\))/).map((term) => parseTerm(term.trim()));
  if (!terms.every((match) => match !== undefined)) return undefined;
  return (labels) => terms.every((match) => match(labels));
}

function parseTerm(term: string): LabelMatch | undefined {
  for (const { form, asks } of forms) {
    const found = form.exec(term);
    if (found === null) continue;
    const [, label = '', operand = ''] = found;
    return (labels) => asks(labels[label], operand);
  }
  return undefined;
}

function isOneOf(has: string | undefined, list: string): boolean {
  return has !== undefined && list.split(',').some((one) => one.trim() === has);
}
