export interface SmtpServer {
  host: string;
  port: number;
  tls: 'starttls' | 'tls' | 'none';
  auth: { user: string; pass: string } | null;
}
