# In the place of the images of Postgres, Redis, PgBouncer and Caddy: the same commands, folders and variables.
FROM localhost/debian-services
COPY services-entrypoint.sh /usr/local/bin/
RUN install -d -o postgres -g postgres /var/lib/postgresql/data && install -d -o redis -g redis /data \
  && rm -rf /etc/postgresql
ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data
ENTRYPOINT ["sh", "/usr/local/bin/services-entrypoint.sh"]
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
