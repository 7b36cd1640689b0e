// A payload codec that encrypts with AES-256-GCM. Copy it, and have keys come from where you keep yours.
//
//   export NODEFERRY_CODEC_KEY=$(openssl rand -base64 32)
//   export NODEFERRY_PAYLOAD_CODEC=/etc/nodeferry/encryption-codec.mjs      for workers and commands alike
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
/** Lengths in bytes: NIST SP 800-38D recommends 96 bits for the nonce, and 128 bits are the whole tag. */
const [nonceLength, tagLength] = [12, 16];
const encoding = 'binary/encrypted';

const key = createSecretKey(Buffer.from(process.env.NODEFERRY_CODEC_KEY ?? '', 'base64'));
if (key.symmetricKeySize !== 32) throw new Error('NODEFERRY_CODEC_KEY is not the base64 of 32 bytes');

/** The payload as it was, with its own encoding, becomes the data of another one. */
function encrypt({ metadata, data }) {
  const entries = Object.entries(metadata ?? {}).map(([name, value]) => [name, toBase64(value)]);
  const plain = JSON.stringify({ metadata: Object.fromEntries(entries), data: toBase64(data ?? []) });
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm, key, nonce);
  const encrypted = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return {
    metadata: { encoding: Buffer.from(encoding) },
    data: Buffer.concat([nonce, cipher.getAuthTag(), encrypted]),
  };
}

/** Payloads that were written without this codec stay as they are: those of runs that were started before it. */
function decrypt(payload) {
  if (Buffer.from(payload.metadata?.encoding ?? []).toString() !== encoding) return payload;
  const data = Buffer.from(payload.data);
  const decipher = createDecipheriv(algorithm, key, data.subarray(0, nonceLength));
  decipher.setAuthTag(data.subarray(nonceLength, nonceLength + tagLength));
  const plain = Buffer.concat([decipher.update(data.subarray(nonceLength + tagLength)), decipher.final()]);
  const stored = JSON.parse(plain.toString('utf8'));
  const entries = Object.entries(stored.metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')]);
  return { metadata: Object.fromEntries(entries), data: Buffer.from(stored.data, 'base64') };
}

const toBase64 = (bytes) => Buffer.from(bytes).toString('base64');

export const payloadCodecs = [
  {
    encode: async (payloads) => payloads.map(encrypt),
    decode: async (payloads) => payloads.map(decrypt),
  },
];
