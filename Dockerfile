# docker build -t envsuite . && docker run -v envsuite-cache:/cache envsuite match ConnectFour
FROM python:3.12-slim
WORKDIR /envsuite
COPY pyproject.toml setup.py building.py README.md LICENSE ./
COPY envsuite envsuite
COPY render render
RUN pip install --no-cache-dir .
ENV SDL_VIDEODRIVER=dummy ENVSUITE_CACHE=/cache
ENTRYPOINT ["envsuite"]
CMD ["list"]
