-- Chat messages are recorded like emails and SMS. The previous version reads and writes only rows of the other channels.
ALTER TYPE "message_channel" ADD VALUE 'chat';
