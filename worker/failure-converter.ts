import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Has messages and stacks of failures encoded as payloads are. Workers with a payload codec use it, in activities and in the bundle of their
 * workflows; the SDK loads it by this name. Every converter reads what it has written.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
