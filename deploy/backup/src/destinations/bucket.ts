import {
  DeleteObjectCommand,
  GetObjectCommand,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { StartupError } from "@sonde/kit/service/startup-error";
import { PassThrough, type Readable } from "node:stream";
import type { ArchiveList, ArchiveDestination } from "./destination.ts";

export type BucketPlace = ArchiveList & {
  /** No leading slash. A prefix ends with a slash. */
  key: string;
  isFolder: boolean;
  write(key: string): ArchiveDestination;
  read(key: string): Promise<Readable>;
};

/** Each part is buffered in memory. S3 allows 10,000 parts, which limits an archive to 160 GB. */
const partBytes = 16 * 2 ** 20;

/**
 * Configured by the usual variables: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, and `AWS_ENDPOINT_URL`
 * for providers other than Amazon.
 * @throws StartupError if the address is not `s3://bucket/…`
 */
export function openBackupBucket(address: string): BucketPlace {
  const [, bucket, path] = /^s3:\/\/([a-z0-9.-]{3,63})(?:\/(.*))?$/.exec(address) ?? [];
  if (bucket === undefined) throw new StartupError(`${address} is not a bucket address such as s3://bucket/prefix/`);
  const key = path ?? "";
  const isFolder = key === "" || key.endsWith("/");
  const ownEndpoint = process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL;
  const client = new S3Client({
    region: process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION ?? "us-east-1",
    // Other providers rarely have a host name per bucket.
    forcePathStyle: ownEndpoint !== undefined,
    // Not all of them support Amazon's newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  return {
    key,
    isFolder,
    write(to) {
      const stream = new PassThrough();
      stream.on("error", () => {}); // `done` rejects with the error.
      const upload = new Upload({
        client,
        params: { Bucket: bucket, Key: to, Body: stream, ContentType: "application/x-tar" },
        partSize: partBytes,
        queueSize: 2,
      });
      const done = upload.done();
      done.catch((fault: Error) => stream.destroy(fault));
      return {
        name: `s3://${bucket}/${to}`,
        stream,
        finish: async () => void (await done.catch((fault: unknown) => refused(bucket, fault))),
        // A failing body makes the upload delete its parts; `Upload.abort` would not wait for that.
        abort: async () => {
          stream.destroy(new Error("the backup was aborted"));
          await done.catch(() => {});
        },
      };
    },
    async read(from) {
      const response = await client
        .send(new GetObjectCommand({ Bucket: bucket, Key: from }))
        .catch((fault: unknown) => refused(bucket, fault));
      return response.Body as Readable;
    },
    async list() {
      const names: string[] = [];
      try {
        for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: key, Delimiter: "/" })) {
          names.push(...(page.Contents ?? []).map((object) => (object.Key ?? "").slice(key.length)));
        }
      } catch (fault) {
        refused(bucket, fault);
      }
      return names;
    },
    remove: async (name) => {
      await client
        .send(new DeleteObjectCommand({ Bucket: bucket, Key: `${key}${name}` }))
        .catch((fault: unknown) => refused(bucket, fault));
    },
  };
}

function refused(bucket: string, cause: unknown): never {
  // Only the provider's error code: its messages contain the address and the key's id.
  const reason = cause instanceof S3ServiceException ? ` (${cause.name})` : "";
  throw new StartupError(`The bucket ${bucket} cannot be reached or denies access${reason}.`, { cause });
}
