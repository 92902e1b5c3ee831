/** The maximum number of channels: the sender has a slot for each (deliveries/sender.ts). */
export const mostChannels = 200;
/** All configurations together: a list of channels travels in one message of the bus (1 MiB). */
export const mostConfigBytes = 640 * 1024;
