import { writeFileSync } from 'node:fs';
import { NodeferryError } from '../../core/model/problem.ts';

/** Writes a file that the caller named. `what` is its content. @throws NodeferryError InvalidArgument when that is not possible */
export function writeNamedFile(path: string, text: string, what: string): void {
  try {
    writeFileSync(path, text);
  } catch (cause) {
    throw new NodeferryError(
      {
        code: 'InvalidArgument',
        message: `The ${what} can't be written to ${path}.`,
        hint: 'Name a file that can be written.',
      },
      { cause },
    );
  }
}
