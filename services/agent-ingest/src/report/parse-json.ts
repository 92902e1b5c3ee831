import { AppError } from "@sonde/kit/errors";

/** Parses bytes as JSON in UTF-8. @throws AppError invalid */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new AppError("invalid", "The body is not valid JSON", { cause });
  }
}
