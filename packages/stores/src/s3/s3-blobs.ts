import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import { checkOptions, required } from '@throughline/core/internal';
import { blobsFailed, requireHash } from '../blobs.ts';
import type { ContextError } from '@throughline/core';
import type { BlobStore } from '@throughline/ports';
import type { OptionChecks, StoreFailure } from '@throughline/core/internal';

/** Which bucket, and the keys to it. */
export interface S3BlobsOptions {
  /** `s3://bucket`, or `s3://bucket/prefix` for a bucket in which other things lie, too. */
  readonly address: string;
  /** Where it is, for a server other than that of AWS: `https://minio.example`. @default AWS, by the region */
  readonly endpoint?: string;
  /** @default 'us-east-1' */
  readonly region?: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The token of keys that are good for a while only. */
  readonly sessionToken?: string;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const optionChecks: OptionChecks<S3BlobsOptions> = {
  address: required({
    expected: 'an address as "s3://bucket/prefix"',
    fits: (value) => typeof value === 'string' && placePattern.test(value),
  }),
  endpoint: {
    expected: 'an http or https address',
    fits: (value) => typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? ''),
  },
  region: { expected: 'the name of a region', fits: isText },
  // What is wrong with a key is not shown.
  accessKeyId: required({ expected: 'a text', fits: (value) => typeof value === 'string' }),
  secretAccessKey: required({ expected: 'a text', fits: (value) => typeof value === 'string' }),
  sessionToken: { expected: 'a text', fits: (value) => typeof value === 'string' },
};

const placePattern = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/((?!.*\.\.)[\w./-]*))?$/;

/** An answer that takes longer does not come: the sweep waits for it inside a transaction. */
const answerMs = 10_000;
/** Bytes may be many, and the line slow. */
const transferMs = 120_000;
const mostRetries = 3;

/**
 * Blobs in a bucket of S3, or of a server that speaks its protocol: every machine reads them, and the database stays
 * small. An object is named by its hash behind the prefix, and never changed.
 *
 * @throws {ContextError} `invalid-option` that names the option. Its functions: `store-failed` with the reason.
 */
export function s3Blobs(options: S3BlobsOptions): BlobStore {
  checkOptions('', options, optionChecks);
  const { address, accessKeyId, secretAccessKey, sessionToken, region = 'us-east-1' } = options;
  const keys = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
  const bucket = new Bucket(
    new AwsClient({ ...keys, service: 's3', region, retries: mostRetries }),
    address,
    baseOf(options),
  );
  return {
    async put(hash, bytes) {
      const found = await bucket.ask('HEAD', hash);
      if (found.status === 200 && Number(found.headers.get('content-length')) === bytes.byteLength) return;
      // The server compares what it gets with its name.
      const headers = { 'x-amz-content-sha256': hash };
      await bucket.ask('PUT', hash, { body: new Uint8Array(bytes), headers });
    },
    async get(hash) {
      const found = await bucket.ask('GET', hash);
      if (found.status === 404) return undefined;
      const bytes = await bucket.bytesOf(found);
      if (createHash('sha256').update(bytes).digest('hex') !== hash)
        throw blobsFailed(address, 'corrupt', `the blob ${hash} is not what was stored`);
      return bytes;
    },
    async remove(hash) {
      await bucket.ask('DELETE', hash);
    },
  };
}

/** AWS has a host for each bucket; others have one for all. */
function baseOf({ address, endpoint, region = 'us-east-1' }: S3BlobsOptions): string {
  const [, bucket = '', prefix = ''] = placePattern.exec(address) ?? [];
  const inside = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  if (endpoint !== undefined) return `${endpoint.replace(/\/+$/, '')}/${bucket}/${inside}`;
  // The certificate of AWS is for names without dots.
  return bucket.includes('.')
    ? `https://s3.${region}.amazonaws.com/${bucket}/${inside}`
    : `https://${bucket}.s3.${region}.amazonaws.com/${inside}`;
}

type Method = 'HEAD' | 'GET' | 'PUT' | 'DELETE';

class Bucket {
  readonly #client: AwsClient;
  readonly #address: string;
  readonly #base: string;

  constructor(client: AwsClient, address: string, base: string) {
    this.#client = client;
    this.#address = address;
    this.#base = base;
  }

  /** The answer; 404 only where the bucket is there, and the object is not. */
  async ask(
    method: Method,
    hash: string,
    sent: { readonly body?: Uint8Array<ArrayBuffer>; readonly headers?: Record<string, string> } = {},
  ): Promise<Response> {
    requireHash(hash);
    const signal = AbortSignal.timeout(method === 'HEAD' || method === 'DELETE' ? answerMs : transferMs);
    const url = `${this.#base}${hash.slice(0, 2)}/${hash.slice(2)}`;
    const answer = await this.#client
      .fetch(url, { method, signal, redirect: 'error', ...sent })
      .catch((error: unknown) => {
        throw blobsFailed(this.#address, 'unreachable', causeOf(error), error);
      });
    if (answer.ok) return answer;
    const said = method === 'HEAD' ? '' : await answer.text().catch(() => '');
    if (answer.status === 404 && method !== 'PUT' && !said.includes('NoSuchBucket')) return answer;
    throw refused(this.#address, answer.status, said);
  }

  async bytesOf(answer: Response): Promise<Uint8Array<ArrayBuffer>> {
    try {
      return new Uint8Array(await answer.arrayBuffer());
    } catch (error) {
      throw blobsFailed(this.#address, 'unreachable', causeOf(error), error);
    }
  }
}

const reasons: Readonly<Record<number, StoreFailure>> = {
  401: 'not-permitted',
  403: 'not-permitted',
  404: 'no-such-folder',
  507: 'full',
};

function refused(address: string, status: number, said: string): ContextError<'store-failed'> {
  const code = /<Code>([\w.]{1,80})<\/Code>/.exec(said)?.[1];
  const words = code === undefined ? '' : ` (${code})`;
  return blobsFailed(address, reasons[status] ?? 'other', `the server answered ${status}${words}`);
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message;
}
