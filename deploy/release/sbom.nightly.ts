import { expect, test } from "vitest";
import { toSbom } from "../docker/src/contents/write.ts";
import { withPackages } from "./sbom.ts";

const own = toSbom({ name: "auth", version: "1.2.3" }, [{ name: "koa", version: "3.0.0", purl: "pkg:npm/koa@3.0.0" }]);
const digest = `sha256:${"ab".repeat(32)}`;
const status = `Package: libc6
Status: install ok installed
Architecture: arm64
Version: 2.36-9+deb12u13
Description: GNU C Library
 of which Version: is no field

Package: gone
Status: deinstall ok config-files
Architecture: arm64
Version: 1

Package: libcap2
Architecture: arm64
Version: 1:2.66-4

Package: libcap2
Status: install ok installed
Architecture: arm64
Version: 1:2.66-4
`;

type List = {
  serialNumber: string;
  metadata: { component: object };
  components: { name: string; version: string; purl: string }[];
};

test("a list of an image has what Sonde's build wrote, and the packages of dpkg that are there", () => {
  const sbom = JSON.parse(withPackages(own, digest, status)) as List;
  expect(sbom.metadata.component).toMatchObject({
    type: "container",
    name: "sonde/auth",
    version: "1.2.3",
    hashes: [{ alg: "SHA-256", content: "ab".repeat(32) }],
  });
  expect(sbom.components.map(({ purl }) => purl)).toEqual([
    "pkg:npm/koa@3.0.0",
    "pkg:deb/debian/libc6@2.36-9%2Bdeb12u13?arch=arm64",
    "pkg:deb/debian/libcap2@1%3A2.66-4?arch=arm64",
  ]);
});

test("the same image has the same list, and another one another serial number", () => {
  const serial = (of: string) => (JSON.parse(withPackages(own, of, status)) as List).serialNumber;
  expect(serial(digest)).toBe(serial(digest));
  expect(serial(digest)).not.toBe(serial(`sha256:${"cd".repeat(32)}`));
  expect(serial(digest)).toMatch(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
});
