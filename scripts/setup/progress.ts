import type { WriteStream } from 'node:tty';

import type { Report } from './tool.ts';

/** Shows several tasks that run at the same time. */
export interface Progress {
  /** Runs one task under a label and shows how long it takes; `detail` says what it is doing. */
  run<T>(label: string, typicalSeconds: number, work: (report: Report) => Promise<T>): Promise<T>;
  /** Ends the display. */
  close(): void;
}

interface Running {
  readonly label: string;
  readonly typicalSeconds: number;
  readonly startedMs: number;
  detail: string;
  share: number;
}

const PLAIN_INTERVAL_MS = 15_000;
const LIVE_INTERVAL_MS = 200;

/** A display on the stream: on a terminal one live line, else a line at the start, every 15 s and at the end of each task. */
export function createProgress(stream: NodeJS.WriteStream, total: number): Progress {
  const running = new Set<Running>();
  let done = 0;
  const timer = setInterval(
    () => (stream.isTTY ? showLive() : showPlain()),
    stream.isTTY ? LIVE_INTERVAL_MS : PLAIN_INTERVAL_MS,
  );

  return {
    async run(label, typicalSeconds, work) {
      const one: Running = { label, typicalSeconds, startedMs: Date.now(), detail: '', share: 0 };
      running.add(one);
      if (!stream.isTTY)
        line(`${label}…${typicalSeconds >= 60 ? ` (about ${duration(typicalSeconds)} on two cores, once)` : ''}`);
      let outcome = 'failed';
      try {
        const result = await work((detail, share = 0) => {
          one.detail = detail;
          one.share = share;
        });
        outcome = 'done';
        return result;
      } finally {
        running.delete(one);
        if (outcome === 'done') done += 1;
        line(`[${done}/${total}] ${label}: ${outcome} in ${duration(elapsedSeconds(one))}`);
      }
    },
    close() {
      clearInterval(timer);
      if (stream.isTTY) stream.write('\r\u001b[K');
    },
  };

  function line(text: string): void {
    stream.write(`${stream.isTTY ? '\r\u001b[K' : ''}nodeferry: ${text}\n`);
  }

  function showLive(): void {
    const text = `nodeferry: [${done}/${total}] ${[...running].map(describe).join(' · ')}`;
    stream.write(`\r\u001b[K${text.slice(0, (stream as WriteStream).columns - 1)}`);
  }

  function showPlain(): void {
    for (const one of running) line(describe(one));
  }
}

function describe(one: Running): string {
  // On a busy machine the typical time passes with much left to do.
  const left = Math.max(
    one.typicalSeconds - elapsedSeconds(one),
    one.share > 0 ? one.typicalSeconds * (1 - one.share) : 0,
  );
  const details = [duration(elapsedSeconds(one)), one.detail, left >= 10 ? `about ${duration(left)} left` : ''];
  return `${one.label}: ${details.filter((detail) => detail !== '').join(', ')}`;
}

function elapsedSeconds(one: Running): number {
  return Math.round((Date.now() - one.startedMs) / 1000);
}

/** Formats seconds: `8 s`, `4 min 05 s`. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}
