export { makeCertificate } from "@sonde/kit/testing/certificate";
