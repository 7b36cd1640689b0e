import type { Logger, LogLevel, LogMetadata } from '@temporalio/worker';
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';

/** A logger that writes one JSON object per line to stdout, or to the given stream. */
export function createLogger(level: string, to?: DestinationStream): PinoLogger {
  const options = {
    level,
    base: { app: 'nodeferry-worker' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return to === undefined ? pino(options) : pino(options, to);
}

/** Logged by the SDK for a worker that only has activities, which is intended for one of ours. */
const expected = /^No workflows registered/;

/** The same logger with the Temporal SDK's interface; workflow and activity logs use it too. */
export function temporalLogger(logger: PinoLogger): Logger {
  const write = (level: LogLevel, message: string, meta: LogMetadata = {}) => {
    if (expected.test(message)) return;
    // A task token means nothing to a reader and has hundreds of characters.
    const { error, taskToken: _token, ...rest } = meta;
    logger[pinoLevel[level]](error === undefined ? rest : { ...rest, err: error }, message);
  };
  return {
    log: write,
    trace: (message, meta) => write('TRACE', message, meta),
    debug: (message, meta) => write('DEBUG', message, meta),
    info: (message, meta) => write('INFO', message, meta),
    warn: (message, meta) => write('WARN', message, meta),
    error: (message, meta) => write('ERROR', message, meta),
  };
}

const pinoLevel = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** Passes only warnings and errors on: webpack lists everything that it bundles. */
export function warningsOnly(logger: Logger): Logger {
  const drop = () => undefined;
  return {
    ...logger,
    trace: drop,
    debug: drop,
    info: drop,
    log: (level, message, meta) => {
      if (level === 'WARN' || level === 'ERROR') logger.log(level, message, meta);
    },
  };
}
