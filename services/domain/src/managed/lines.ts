import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import { invalid } from "@sonde/kit/errors";

/** More than the gateway takes as a body: what it makes of one is hardly larger. */
const maxBytes = 32 * 1024 * 1024;
const zip = promisify(brotliCompress);
const unzip = promisify(brotliDecompress);

/** Values as lines of JSON by Brotli, as base64 so that JSON can carry it; its large window makes up for that third. */
export async function zipLines(values: readonly unknown[]): Promise<string> {
  const zipped = await zip(values.map((value) => `${JSON.stringify(value)}\n`).join(""), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
  return zipped.toString("base64");
}

/** Each line is to be parsed by itself: parsing all of them as one text would hold up the loop. @throws AppError invalid */
export async function unzipLines(zipped: string): Promise<string[]> {
  try {
    const all = await unzip(Buffer.from(zipped, "base64"), { maxOutputLength: maxBytes });
    return all.toString().split("\n").filter(Boolean);
  } catch {
    throw invalid([{ path: "", message: "This value is not valid" }]);
  }
}
