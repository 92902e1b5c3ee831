import type { DescMessage } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { SampleSchema } from "../gen/sonde/agents/v1/samples_pb.js";
import { type MessageFields, sampleFields } from "./fields.ts";

type Described = { [name: string]: [number: number, kind: string, parts?: Described] };

const ofTable = (fields: MessageFields): Described =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const parts = "fields" in field ? ofTable(field.fields) : undefined;
      return [name, [field.number, field.kind, parts]];
    }),
  );

const scalars: Record<number, string> = { 1: "double", 9: "text", 13: "uint32" };

const ofProto = ({ fields }: DescMessage): Described =>
  Object.fromEntries(
    fields.map(({ localName, number, fieldKind, message, scalar }) => {
      if (message?.typeName === "google.protobuf.Timestamp") return [localName, [number, "instant", undefined]];
      return [localName, [number, message ? fieldKind : scalars[scalar!]!, message && ofProto(message)]];
    }),
  );

test("the table has the fields, numbers and kinds of samples.proto, in the order of their numbers", () => {
  expect(ofTable(sampleFields)).toEqual(ofProto(SampleSchema));
  for (const fields of [
    sampleFields,
    ...Object.values(sampleFields).flatMap((one) => ("fields" in one ? one.fields : [])),
  ]) {
    const numbers = Object.values(fields as MessageFields).map(({ number }) => number);
    expect(numbers).toEqual(numbers.toSorted((left, right) => left - right));
  }
});
