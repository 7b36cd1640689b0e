import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadPayloadCodecs } from '../../../adapters/payload-codecs/load.ts';
import { callCommandLine } from '../../support/command-line.ts';

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'nodeferry-codecs-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
}

const payload = { metadata: {}, data: new Uint8Array([1]) };
const both = 'encode: async (all) => [...all, ...all], decode: async (all) => all.slice(1)';

describe('a module with payload codecs', () => {
  test('may be an ES module or a CommonJS module', async () => {
    const modules = [
      write('codec.mjs', `export const payloadCodecs = [{ ${both} }];`),
      write('codec.cjs', `module.exports = { payloadCodecs: [{ ${both} }] };`),
    ];
    for (const path of modules) {
      const [codec] = await loadPayloadCodecs(path);
      expect(await codec?.encode([payload])).toEqual([payload, payload]);
      expect(await codec?.decode([payload])).toEqual([]);
    }
  });

  test('is not needed', async () => {
    expect(await loadPayloadCodecs(undefined)).toEqual([]);
    expect(await loadPayloadCodecs('')).toEqual([]);
  });

  test.each([
    ['is not there', undefined, /can't be loaded: Cannot find module/],
    ['can not be read', 'export const = 1;', /can't be loaded: /],
    ['throws', "throw new Error('the key is missing.\\nat x');", /can't be loaded: the key is missing\.$/],
    ['exports something else', `export default [{ ${both} }];`, /exports no payloadCodecs\.$/],
    [
      'exports a codec that only encodes',
      'export const payloadCodecs = [{ encode() {} }];',
      /exports no payloadCodecs\.$/,
    ],
    ['exports no codec', 'export const payloadCodecs = [];', /exports no payloadCodecs\.$/],
  ])('that %s is refused', async (what, text, says) => {
    const name = `${what.replaceAll(' ', '-')}.mjs`;
    const path = text === undefined ? join(scratch, name) : write(name, text);
    await expect(loadPayloadCodecs(path)).rejects.toMatchObject({
      problem: {
        code: 'InvalidArgument',
        message: expect.stringMatching(says),
        hint: expect.stringMatching(/path of/),
      },
    });
  });

  test('is named where it fails', async () => {
    const path = write(
      'fails.mjs',
      `const no = async () => { throw new Error('no key 7'); };
export const payloadCodecs = [{ encode: no, decode: no }];`,
    );
    const [codec] = await loadPayloadCodecs(path);
    const says = (verb: string) => ({
      problem: { message: `The payload codec of ${path} can't ${verb} a payload: no key 7` },
    });
    await expect(codec?.encode([payload])).rejects.toMatchObject(says('encode'));
    await expect(codec?.decode([payload])).rejects.toMatchObject(says('decode'));
  });
});

test('a command whose codec can not be loaded says so and connects to nothing', async () => {
  const env = { TEMPORAL_ADDRESS: '127.0.0.1:1', NODEFERRY_PAYLOAD_CODEC: '/nonexistent/codec.mjs' };
  const { code, stdout, stderr } = await callCommandLine(['status', 'prod/web'], env);
  expect([code, stdout]).toEqual([64, '']);
  expect(stderr).toMatch(
    /^error InvalidArgument: NODEFERRY_PAYLOAD_CODEC is \/nonexistent\/codec\.mjs, which can't be loaded: .*\.\n {2}fix: .*\n$/,
  );
});
