/** Definitions of messages as plain data: no SDK code is loaded for them. */
import type { QueryDefinition, SignalDefinition, UpdateDefinition } from '@temporalio/common';

/** An update of this name. */
export function update<Ret, Args extends unknown[]>(name: string): UpdateDefinition<Ret, Args> {
  return { type: 'update', name } as UpdateDefinition<Ret, Args>;
}

/** A query of this name. */
export function query<Ret>(name: string): QueryDefinition<Ret> {
  return { type: 'query', name } as QueryDefinition<Ret>;
}

/** A signal of this name. */
export function signal<Args extends unknown[]>(name: string): SignalDefinition<Args> {
  return { type: 'signal', name } as SignalDefinition<Args>;
}
