import type { Random } from "../random.ts";
import type { Answer } from "../server.ts";

/** An NTP packet (RFC 5905 §7.3) with random fields, usually with the timestamp that identifies the request. */
export const ntpAnswers = (random: Random): Answer[] => [
  (received) => {
    const packet = random.bytes(random.pick([0, 1, 47, 48, 48, 48, 68, 1400]));
    if (packet.length >= 48) {
      if (random.chance(0.8)) received.copy(packet, 24, 40, 48);
      packet[0] = random.pick([0x24, 0xe4, 0x23, packet[0]!]);
      packet[1] = random.pick([0, 1, 2, 16, 255]);
      if (random.chance(0.3)) packet.write(random.pick(["RATE", "DENY", "INIT", "\0\0\0\0"]), 12, "latin1");
    }
    return packet;
  },
];
