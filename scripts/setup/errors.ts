/** Something that the setup needs is missing or fails; the second line of the message tells the user what to do. */
export class SetupError extends Error {
  constructor(message: string, fix: string) {
    super(`${message}\n  ${fix}`);
    this.name = 'SetupError';
    // The user can act on the message; where in the setup it was found does not matter.
    this.stack = `${this.name}: ${this.message}`;
  }
}
