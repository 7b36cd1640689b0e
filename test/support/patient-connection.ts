import { Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';

/** gRPC's code for what the server could not answer in time. */
const deadlineExceeded = 4;

/**
 * Connects like any client, and asks again where the server was too slow: beside others that keep the machine busy it may be, for a moment,
 * and no test is about that.
 */
export async function connectPatiently(address: string): Promise<Connection> {
  const usual = defaultGrpcRetryOptions();
  const interceptor = makeGrpcRetryInterceptor({
    ...usual,
    retryableDecider: (attempt, status) =>
      usual.retryableDecider(attempt, status) || (status.code === deadlineExceeded && attempt < 10),
  });
  return await Connection.connect({ address, interceptors: [interceptor] });
}
