import { printable } from '../core/text/printable.ts';
import type { Path } from './read-yaml.ts';

/** The path of a field as it is written in messages: `spec.traffic.probes[0].name`. */
export function fieldName(path: Path): string {
  return path
    .map((step) =>
      typeof step === 'number'
        ? `[${step}]`
        : /^[A-Za-z]\w{0,79}$/.test(String(step))
          ? `.${String(step)}`
          : `['${printable(String(step))}']`,
    )
    .join('')
    .replace(/^\./, '');
}
