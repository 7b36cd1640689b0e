import type { Logger, LogLevel, LogMetadata } from '@temporalio/worker';
import { type Logger as PinoLogger, pino } from 'pino';

/** A logger that writes one JSON object per line to stdout. */
export function createLogger(level: string): PinoLogger {
  return pino({ level, base: { app: 'nodeferry-worker' }, timestamp: pino.stdTimeFunctions.isoTime });
}

/** The same logger, as the Temporal SDK calls it; workflow and activity logs come this way too. */
export function temporalLogger(logger: PinoLogger): Logger {
  const write = (level: LogLevel, message: string, meta: LogMetadata = {}) => {
    const { error, ...rest } = meta;
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
