export { s3Blobs } from '../s3/s3-blobs.ts';
export type { S3BlobsOptions } from '../s3/s3-blobs.ts';
