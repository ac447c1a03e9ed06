FROM localhost/debian-bookworm
COPY node /
RUN useradd --uid 1000 --user-group --create-home --shell /bin/bash node
