import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connectAsCommandsDo } from '../support/command-connection.ts';

const page = readFileSync(new URL('../../docs/web-ui.md', import.meta.url), 'utf8');
const queries = [...page.matchAll(/^\| [^|]+ \| `([^`]+(?:=|IN) [^`]+)` \|$/gm)].map(([, query = '']) => query);

test('every query on the page about the web UI is one that Temporal understands', async () => {
  const connection = await connectAsCommandsDo();
  expect(queries.length).toBeGreaterThan(10);
  for (const query of queries)
    await expect(connection.client.workflow.count(query), query).resolves.toMatchObject({ count: expect.any(Number) });
  await expect(connection.client.workflow.count('NodeferryNothing = 1')).rejects.toThrow();
});
