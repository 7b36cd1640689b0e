import type { Workflow, WorkflowHandle } from '@temporalio/client';

/** Handles whose calls are known while they are under way, and other calls of that kind. */
export interface WatchedHandles {
  /** Takes a call into account that was not made through one of the handles. */
  call<T>(call: Promise<T>): Promise<T>;
  readonly watch: <T extends Workflow>(handle: WorkflowHandle<T>) => WorkflowHandle<T>;
  /** Waits until no call is under way any more. A call that is tried again after its connection was closed fails where nobody can catch it. */
  close(): Promise<void>;
  closed(): boolean;
}

/** Makes handles whose failed calls concern only those who wait for them: a test that has failed before leaves some to nobody. */
export function createWatchedHandles(): WatchedHandles {
  const underWay = new Set<Promise<unknown>>();
  let closed = false;

  function watchCall<T>(call: Promise<T>): Promise<T> {
    underWay.add(call);
    const forget = () => underWay.delete(call);
    call.then(forget, forget);
    return call;
  }

  return {
    call: watchCall,
    watch: (handle) =>
      new Proxy(handle, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return (...args: unknown[]) => {
            const answer: unknown = closed ? Promise.reject(new Error('the test is over')) : member.apply(target, args);
            return answer instanceof Promise ? watchCall(answer) : answer;
          };
        },
      }),
    close: async () => {
      closed = true;
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
    closed: () => closed,
  };
}
