/** The agent's version; the release of the whole product. */
export const version = "0.1.0";
export const userAgent = `sonde-agent/${version}`;
