/** How the AWS clients behave. Everything else (credentials, endpoint) follows the SDK's own provider chain and environment variables. */
export interface AwsClientOptions {
  /** Attempts of one call, including the first, before its error is reported. Default 5. */
  readonly maxAttempts?: number;
  /** Longest time to establish a connection to AWS, ms. Default 3,000. */
  readonly connectTimeoutMs?: number;
  /** Longest time for one attempt from request to answer, ms. Default 15,000. */
  readonly requestTimeoutMs?: number;
}

/**
 * Settings for an SDK client. Adaptive retry slows down the whole client after a throttling response. That leaves capacity for the controllers that
 * share the account's request rate (AWS SDKs guide, "Retry behavior").
 */
export function awsClientConfig(region: string, options: AwsClientOptions = {}) {
  return {
    region,
    retryMode: 'adaptive',
    maxAttempts: options.maxAttempts ?? 5,
    requestHandler: {
      connectionTimeout: options.connectTimeoutMs ?? 3_000,
      requestTimeout: options.requestTimeoutMs ?? 15_000,
      throwOnRequestTimeout: true,
    },
  } as const;
}
