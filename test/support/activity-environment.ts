import type { Info } from '@temporalio/activity';
import {
  MockActivityEnvironment as LoggingEnvironment,
  type MockActivityEnvironmentOptions,
} from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';

/** The SDK's environment, which does not print what activities log unless a test asks for it. */
export class MockActivityEnvironment extends LoggingEnvironment {
  constructor(info?: Partial<Info>, options: MockActivityEnvironmentOptions = {}) {
    super(info, { logger: new DefaultLogger('ERROR', () => undefined), ...options });
  }
}
