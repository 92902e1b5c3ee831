/** The server gives a check its timeout and some seconds to find a runner; the app waits five seconds longer than that. */
export function checkTimeoutMs(timeoutSeconds = 10): number {
  return (timeoutSeconds + serverGraceSeconds + 5) * 1000;
}

const serverGraceSeconds = 4;
