import { createHash } from "node:crypto";
import type { Component } from "./components.ts";

/**
 * What an image holds beyond its base, as CycloneDX 1.6 in JSON. The same contents make the same text: it carries no
 * time, and its serial number is made of the rest.
 * @see https://cyclonedx.org/docs/1.6/json/
 */
export function toSbom(image: { name: string; version: string }, components: readonly Component[]): string {
  const body = {
    metadata: {
      component: {
        type: "application",
        "bom-ref": `sonde/${image.name}`,
        name: `sonde/${image.name}`,
        version: image.version,
        licenses: [{ license: { id: "MIT" } }],
      },
    },
    components: components.map(({ name, version, purl, license, sha512 }) => ({
      type: "library",
      "bom-ref": purl,
      name,
      version,
      ...(license === undefined ? {} : { licenses: [licenceOf(license)] }),
      purl,
      ...(sha512 === undefined ? {} : { hashes: [{ alg: "SHA-512", content: sha512 }] }),
    })),
  };
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(body))}`;
  return `${JSON.stringify({ bomFormat: "CycloneDX", specVersion: "1.6", serialNumber, version: 1, ...body }, null, 1)}\n`;
}

/** `MIT`, an expression of SPDX (`MIT OR Apache-2.0`), or free text. */
function licenceOf(text: string) {
  if (/^[\w.+-]+$/.test(text)) return { license: { id: text } };
  return /^\(?[\w.+-]+(?:\)? (?:AND|OR|WITH) \(?[\w.+-]+\)?)+$/.test(text)
    ? { expression: text }
    : { license: { name: text } };
}

/** A UUID made of a text (RFC 9562, version 8). */
function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}
