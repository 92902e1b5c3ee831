/** Every `code` of an error response, with its HTTP status. */
export const statusOfCode = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_large: 413,
  misdirected: 421,
  impossible: 422,
  too_many: 429,
  internal: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof statusOfCode;
export const errorCodes = Object.keys(statusOfCode) as [ErrorCode, ...ErrorCode[]];
