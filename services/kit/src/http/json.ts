import { AppError } from "../errors.ts";

/** Whether a content type is JSON in UTF-8, as JSON always is between programs (RFC 8259, 8.1). */
export function isJson(contentType: string | undefined): boolean {
  const [type = "", ...params] = (contentType ?? "").toLowerCase().split(";");
  const charset = params.map((param) => param.trim()).find((param) => param.startsWith("charset="));
  return type.trim() === "application/json" && (charset === undefined || /^charset="?utf-8"?$/.test(charset));
}

export const notJson = () => new AppError("invalid", "The content type must be application/json");

/** Parses bytes as JSON in UTF-8. @throws AppError invalid */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new AppError("invalid", "The body is not valid JSON", { cause });
  }
}
