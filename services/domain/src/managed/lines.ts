import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import { invalid } from "@sonde/kit/errors";

/** Above the gateway's limit for bodies, whose converted form is hardly larger. */
const maxBytes = 32 * 1024 * 1024;
const zip = promisify(brotliCompress);
const unzip = promisify(brotliDecompress);

/** JSON lines with Brotli, in base64. The large window makes up for the 33 % overhead. */
export async function zipLines(values: readonly unknown[]): Promise<string> {
  const zipped = await zip(values.map((value) => `${JSON.stringify(value)}\n`).join(""), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
  return zipped.toString("base64");
}

/** Lines are parsed separately, because all at once would block the event loop. @throws AppError invalid */
export async function unzipLines(zipped: string): Promise<string[]> {
  try {
    const all = await unzip(Buffer.from(zipped, "base64"), { maxOutputLength: maxBytes });
    return all.toString().split("\n").filter(Boolean);
  } catch {
    throw invalid([{ path: "", message: "This value is not valid" }]);
  }
}
