import { enableCompileCache } from 'node:module';
import { readConfig } from './config.ts';
import { describeStartFailure } from './start-failure.ts';

// Two SDKs are compiled once, not at each start, which halves the time until a worker polls or says why it can't. Where nothing can be written, nothing is kept.
enableCompileCache();

// A signal that arrives before the worker runs ends it at once: it has not accepted any task yet.
const leave = (signal: NodeJS.Signals) => {
  process.stderr.write(`nodeferry worker: ${signal} before it ran\n`);
  process.exit(signal === 'SIGINT' ? 130 : 143);
};
process.on('SIGINT', leave);
process.on('SIGTERM', leave);

try {
  const config = readConfig(process.env);
  // Loaded only now, so that configuration errors are reported at once.
  const { runWorker } = await import('./run-worker.ts');
  await runWorker(config, () => {
    process.off('SIGINT', leave);
    process.off('SIGTERM', leave);
  });
} catch (error) {
  const { text, exitCode } = describeStartFailure(error);
  process.stderr.write(text);
  // Whatever is still open (a server's port, a connection with workers on it) must not keep a process alive that does nothing.
  process.exit(exitCode);
}
