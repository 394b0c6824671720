import { afterAll, describe, it } from 'vitest';
import { AwsClient } from 'aws4fetch';
import { describeStore } from '../src/contract/store-contract.ts';
import { openTestDatabase } from './postgres-stores.ts';
import { s3Blobs } from '../src/s3/s3-blobs.ts';
import { tryFewerCases } from './fewer-cases.ts';
import type { TestBlobs } from './postgres-stores.ts';

const {
  THROUGHLINE_TEST_S3_URL: address,
  AWS_ACCESS_KEY_ID: accessKeyId = '',
  AWS_SECRET_ACCESS_KEY: secretAccessKey = '',
} = process.env;
const missing =
  'No S3 to test with: THROUGHLINE_TEST_S3_URL names none (http://host:port/bucket, keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY).';
const database = address === undefined ? missing : await openTestDatabase('s3');

if (address === undefined || typeof database === 'string') {
  describe('postgres with blobs in S3', () => it.skip(typeof database === 'string' ? database : missing));
} else {
  const { origin, pathname } = new URL(address);
  const bucket = pathname.slice(1);
  const client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: 'us-east-1' });
  let count = 0;

  /** Each in a place of its own in the bucket, which is not emptied afterwards. */
  const blobsAside = (): TestBlobs => {
    const prefix = `tests-${process.pid}-${Date.now()}-${(count += 1)}`;
    const store = s3Blobs({
      address: `s3://${bucket}/${prefix}`,
      endpoint: origin,
      accessKeyId,
      secretAccessKey,
    });
    const list = async (): Promise<readonly string[]> => {
      const answer = await client.fetch(`${origin}/${bucket}?list-type=2&prefix=${prefix}/`);
      const keys = [...(await answer.text()).matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = '']) => key);
      return keys.map((key) => key.slice(prefix.length).replaceAll('/', ''));
    };
    return { store, list };
  };

  await client.fetch(`${origin}/${bucket}`, { method: 'PUT' });
  tryFewerCases();
  afterAll(() => database[Symbol.asyncDispose]());
  describeStore('postgres with blobs in S3', database.openWith(blobsAside));
}
