import { fromJsonString } from "@bufbuild/protobuf";
import { invalid } from "@sonde/kit/errors";
import { type MonitorFields, MonitorFieldsSchema } from "@sonde/proto/gen/monitors/v1/monitors";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

/** More than the gateway takes as an import: what it makes of one is hardly larger. */
const mostBytes = 32 * 1024 * 1024;
const unzip = promisify(gunzip);

/**
 * The lines of an import. Each is read by itself: parsing all of them as one text would hold up the loop.
 * @throws AppError invalid
 */
export async function unzipLines(zipped: Uint8Array): Promise<Buffer[]> {
  try {
    return splitLines(await unzip(zipped, { maxOutputLength: mostBytes }));
  } catch {
    throw unreadable();
  }
}

/** Lines without their ends; an empty one is none. */
export function splitLines(bytes: Uint8Array): Buffer[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lines: Buffer[] = [];
  let from = 0;
  while (from < all.length) {
    const end = all.indexOf(10, from);
    const to = end < 0 ? all.length : end;
    if (to > from) lines.push(all.subarray(from, to));
    from = to + 1;
  }
  return lines;
}

/** The fields of one monitor. @throws AppError invalid */
export function readLine(line: Buffer): MonitorFields {
  try {
    return fromJsonString(MonitorFieldsSchema, line.toString());
  } catch {
    throw unreadable();
  }
}

const unreadable = () => invalid([{ path: "", message: "This value is not valid" }]);
