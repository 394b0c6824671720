import { createHash, createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { once } from 'node:events';
import { s3Blobs } from './s3-blobs.ts';
import type { AddressInfo } from 'node:net';
import type { BlobStore } from '@throughline/ports';
import type { IncomingMessage } from 'node:http';

const bytes = new Uint8Array([0, 255, 7]);
const hash = createHash('sha256').update(bytes).digest('hex');
const keys = { accessKeyId: 'AKIA1', secretAccessKey: 'secret/1+' };

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** The signature that a request ought to have, as AWS describes version 4. */
function signatureOf({ method = '', url = '', headers }: IncomingMessage): string {
  const given = String(headers.authorization);
  const [, date = '', region = '', signed = ''] =
    /Credential=AKIA1\/(\d{8})\/([\w-]+)\/s3\/aws4_request, ?SignedHeaders=([\w;-]+)/.exec(given) ?? [];
  const canonical = [
    method,
    url,
    '',
    ...signed.split(';').map((name) => `${name}:${String(headers[name])}`),
    '',
    signed,
    String(headers['x-amz-content-sha256']),
  ].join('\n');
  const scope = `${date}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha(canonical)].join('\n');
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${keys.secretAccessKey}`, date), region));
  return hmac(key, text).toString('hex');
}

interface Served {
  readonly endpoint: string;
  readonly objects: Map<string, Buffer>;
  /** Methods of the requests that came. */
  readonly asked: string[];
  /** Of the next requests, instead of an answer. */
  readonly failures: number[];
}

/** A bucket `box` that takes nothing that is not signed, and nothing that is not of its hash. */
async function startBucket(): Promise<Served> {
  const served = { objects: new Map<string, Buffer>(), asked: [] as string[], failures: [] as number[] };
  const { objects, asked, failures } = served;
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      asked.push(method);
      const end = (status: number, said: string | Buffer = ''): void => {
        response.writeHead(status, { 'content-length': Buffer.byteLength(said) });
        response.end(method === 'HEAD' ? undefined : said);
      };
      const failed = failures.shift();
      if (failed !== undefined) return end(failed);
      if (!String(headers.authorization).endsWith(`Signature=${signatureOf(request)}`))
        return end(403, '<Error><Code>SignatureDoesNotMatch</Code></Error>');
      if (!url.startsWith('/box/')) return end(404, '<Error><Code>NoSuchBucket</Code></Error>');
      if (method === 'PUT') {
        if (headers['x-amz-content-sha256'] !== sha(body)) return end(400);
        objects.set(url, body);
        return end(200);
      }
      if (method === 'DELETE') {
        objects.delete(url);
        return end(204);
      }
      const found = objects.get(url);
      return found ? end(200, found) : end(404, '<Error><Code>NoSuchKey</Code></Error>');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ...served };
}

const openAt = (endpoint: string, more: Partial<Parameters<typeof s3Blobs>[0]> = {}): BlobStore =>
  s3Blobs({ address: 's3://box/of/ours', endpoint, ...keys, ...more });

it('gives back what it was given, and nothing once it is removed', async () => {
  const { endpoint, objects, asked } = await startBucket();
  const blobs = openAt(endpoint);
  expect(await blobs.get(hash)).toBeUndefined();
  await Promise.all([blobs.put(hash, bytes), openAt(endpoint).put(hash, bytes)]);
  await blobs.put(hash, bytes);
  expect(asked.filter((method) => method === 'PUT').length).toBeLessThan(3);
  expect(await blobs.get(hash)).toEqual(bytes);
  expect([...objects.keys()]).toEqual([`/box/of/ours/${hash.slice(0, 2)}/${hash.slice(2)}`]);
  await blobs.remove(hash);
  await blobs.remove(hash);
  expect(await blobs.get(hash)).toBeUndefined();
  expect(objects.size).toBe(0);
});

it.each(['../../etc/passwd', hash.toUpperCase(), hash.slice(1), `${hash}?x`, ''])(
  'takes no name but a hash: %j',
  async (name) => {
    const { endpoint, asked } = await startBucket();
    const blobs = openAt(endpoint);
    for (const attempt of [blobs.get(name), blobs.put(name, bytes), blobs.remove(name)])
      await expect(attempt).rejects.toMatchObject({ code: 'invalid-option' });
    expect(asked).toEqual([]);
  },
);

it('writes anew what is cut off, and does not give out what is damaged', async () => {
  const { endpoint, objects } = await startBucket();
  const blobs = openAt(endpoint);
  const path = `/box/of/ours/${hash.slice(0, 2)}/${hash.slice(2)}`;
  objects.set(path, Buffer.from(bytes.slice(1)));
  await expect(blobs.get(hash)).rejects.toMatchObject({
    code: 'store-failed',
    details: { reason: 'corrupt' },
  });
  await blobs.put(hash, bytes);
  expect(await blobs.get(hash)).toEqual(bytes);
});

it('asks again where the server is busy, and tells what it cannot do without a key in it', async () => {
  const { endpoint, failures } = await startBucket();
  failures.push(503, 500);
  await openAt(endpoint).put(hash, bytes);
  expect(await openAt(endpoint).get(hash)).toEqual(bytes);
  const failed = async (blobs: BlobStore): Promise<unknown> =>
    blobs.put(hash, bytes).catch((error: unknown) => error);
  const at = (reason: string) => ({ code: 'store-failed', details: { store: 's3://box/of/ours', reason } });
  const refused = await failed(openAt(endpoint, { secretAccessKey: 'another' }));
  expect(refused).toMatchObject(at('not-permitted'));
  expect(String(refused)).not.toMatch(/AKIA1|another/);
  expect(await failed(openAt('http://127.0.0.1:1'))).toMatchObject(at('unreachable'));
  expect(await failed(openAt(endpoint, { address: 's3://other' }))).toMatchObject({
    message: expect.stringContaining('404 (NoSuchBucket)') as string,
    details: { reason: 'no-such-folder' },
  });
});

it.each([
  [{ address: 's3:/b' }, 'address'],
  [{ address: 's3://box/../x' }, 'address'],
  [{ endpoint: 'ftp://x' }, 'endpoint'],
  [{ region: '' }, 'region'],
])('is not made of what leads nowhere: %j', (more, option) => {
  expect(() => openAt('http://127.0.0.1:1', more)).toThrow(
    expect.objectContaining({
      code: 'invalid-option',
      details: expect.objectContaining({ option }) as object,
    }) as Error,
  );
});
