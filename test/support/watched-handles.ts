import type { Workflow, WorkflowHandle } from '@temporalio/client';

/** Handles whose calls are known while they are under way, and other calls of that kind. */
export interface WatchedHandles {
  /** Takes a call into account that was not made through one of the handles. */
  call<T>(what: string, call: Promise<T>): Promise<T>;
  readonly watch: <T extends Workflow>(handle: WorkflowHandle<T>) => WorkflowHandle<T>;
  /** The calls that are under way, in words, the one that began first before the others. */
  underWay(): readonly string[];
  /** Whoever waits for a call, or makes one from now on, fails for that reason; the calls themselves go on. */
  failPending(why: Error): void;
  /** Waits until no call is under way any more. A call that is tried again after its connection was closed fails where nobody can catch it. */
  close(): Promise<void>;
  closed(): boolean;
}

/** Makes handles whose failed calls concern only those who wait for them: a test that has failed before leaves some to nobody. */
export function createWatchedHandles(): WatchedHandles {
  const underWay = new Map<Promise<unknown>, string>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  let closed = false;

  async function watchCall<T>(what: string, call: Promise<T>): Promise<T> {
    underWay.set(call, what);
    const forget = () => underWay.delete(call);
    call.then(forget, forget);
    return await Promise.race([call, failed.promise]);
  }

  function concernThoseWhoWait<T>(answer: Promise<T>): Promise<T> {
    answer.catch(() => undefined);
    return answer;
  }

  return {
    call: (what, call) => concernThoseWhoWait(watchCall(what, call)),
    watch: (handle) =>
      new Proxy(handle, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return (...args: unknown[]) => {
            const answer: unknown = closed ? Promise.reject(new Error('the test is over')) : member.apply(target, args);
            if (!(answer instanceof Promise)) return answer;
            return concernThoseWhoWait(watchCall(`${String(name)} of ${target.workflowId}`, answer));
          };
        },
      }),
    underWay: () => [...underWay.values()],
    failPending: failed.reject,
    close: async () => {
      closed = true;
      while (underWay.size > 0) await Promise.allSettled(underWay.keys());
    },
    closed: () => closed,
  };
}
