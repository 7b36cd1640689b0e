/**
 * Which of the labs of a host this process works with: the first, unless NODEFERRY_LAB says 2 to 9. Everything that a lab makes outside of itself has
 * this in its name, and its addresses are inside of network namespaces, so several labs can run side by side. Each has a lock of its own.
 */
const number = process.env['NODEFERRY_LAB'] ?? '';
if (!/^[2-9]?$/.test(number)) throw new Error(`NODEFERRY_LAB is ${number}, and must be a digit from 2 to 9, or empty`);

/** Name of the lab: of its folder, its control group, its lock. No name of a lab begins with that of another. */
export const LAB_NAME = `nodeferry${number}-lab`;

/** Prefix of the names of its network namespaces. */
export const NAMESPACE_PREFIX = `nf${number}-`;
