/** There are at most so many channels: the sender keeps a place for each (deliveries/sender.ts). */
export const mostChannels = 200;
