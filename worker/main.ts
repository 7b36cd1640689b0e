import { readConfig } from './config.ts';
import { describeStartFailure } from './start-failure.ts';

// A signal that comes before the worker runs ends it at once: nothing has been taken yet that would have to be handed back.
const leave = (signal: NodeJS.Signals) => {
  process.stderr.write(`nodeferry worker: ${signal} before it ran\n`);
  process.exit(signal === 'SIGINT' ? 130 : 143);
};
process.on('SIGINT', leave);
process.on('SIGTERM', leave);

try {
  const config = readConfig(process.env);
  // Loaded only now: what is wrong with the environment is told at once.
  const { runWorker } = await import('./run-worker.ts');
  await runWorker(config, () => {
    process.off('SIGINT', leave);
    process.off('SIGTERM', leave);
  });
} catch (error) {
  const { text, exitCode } = describeStartFailure(error);
  process.stderr.write(text);
  // Whatever is open yet (a server's port, a connection with workers on it) must not keep alive a process that does nothing.
  process.exit(exitCode);
}
