/**
 * Whether a service that listens on `host` (the value of HOST: a name or an address) can be reached from this machine
 * alone.
 */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}
