import { EventEmitter } from "node:events";

/** A stream whose reader can stop reading; writes are then buffered. */
export class FakeSink extends EventEmitter {
  received = "";
  writes = 0;
  writableLength = 0;
  reading = true;
  ended = false;
  destroyed = false;
  closed = false;
  write(bytes: Buffer) {
    this.writes += 1;
    this.received += bytes.toString();
    if (!this.reading) this.writableLength += bytes.length;
    return this.reading;
  }
  end() {
    this.ended = true;
    if (this.reading) this.emit("close");
  }
  destroy() {
    this.destroyed = true;
    this.emit("close");
  }
  catchUp() {
    this.reading = true;
    this.writableLength = 0;
    this.emit("drain");
  }
}
